// SPDX-License-Identifier: BSD-3-Clause
/** The marks that languages_test.py expects of every language. */
public final class Marks {
  public static void main(String[] words) {
    try (var scope = Kutrace.scope("load the index")) {
      Kutrace.mark("a.b-9");
      Kutrace.mark("größer als sechs Buchstaben: " + "0123456789 ".repeat(40) + "Ende");
    }
    Kutrace.scope("y".repeat(1500)).close();
    Kutrace.markNumber(77);
    for (long value : new long[] {3, -12, 3}) Kutrace.counter("queue length", value);
  }
}
