// SPDX-License-Identifier: BSD-3-Clause
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Marks that a Java program puts into a trace of itself, as include/kutrace/mark.h does for C. Copy this
 * file. Java 11 or newer, on Linux; no native code of its own.
 *
 * <pre>
 * Kutrace.mark("load the index");            // a label of any length
 * Kutrace.mark("/load the index");           // a leading / ends what the label began
 * Kutrace.markNumber(id);
 * Kutrace.counter("queue", queue.size());    // a number that changes: a track on the page
 * try (var scope = Kutrace.scope("answer")) { ... }
 * </pre>
 *
 * While nobody records, a mark reads a word of shared memory. While somebody does, it is a write to a
 * descriptor that cannot be open, which fails, and which a recorder of kutrace sees; the exception
 * that Java makes of it costs some microseconds, and goes no further. Where Java does not let a program
 * name a descriptor (sun.misc.Unsafe is gone), marks do nothing.
 */
public final class Kutrace {
  private static final String LISTENERS_FILE = "/run/kutrace-marks";
  private static final int PAGE_BYTES = 4096;
  private static final long MAGIC = 0x314b52414d54554bL; // "KUTMARK1"
  private static final int CARRIERS_AT = 8;
  private static final int BEAT_AT = 12;
  private static final int BY_WRITE = 1;
  private static final int ENTRY_FD = 0x7fffffd3;
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-./";
  private static final long FIRST_LONG = 4096000000L; // 40 to the power of 6
  private static final int MOST_BYTES = 1024;
  private static final int NAME_BYTES = 56;
  private static final int PIECE = 51;
  private static final int KIND_LOCK = 0x007;
  private static final int MARK_A = 0x20a;
  private static final int MARK_C = 0x20c;
  private static final int MARK_D = 0x20d;

  private static final MappedByteBuffer page = look();
  private static final FileOutputStream carrier = carrier();
  private static final AtomicLongArray named = new AtomicLongArray(64);
  private static final AtomicInteger marks = new AtomicInteger();

  private Kutrace() {}

  /** The page in which recorders tell that they listen; null where there is none. */
  private static MappedByteBuffer look() {
    try (FileChannel file = FileChannel.open(Path.of(LISTENERS_FILE))) {
      if (file.size() < PAGE_BYTES) return null;
      MappedByteBuffer found = file.map(FileChannel.MapMode.READ_ONLY, 0, PAGE_BYTES);
      found.order(ByteOrder.LITTLE_ENDIAN);
      return found.getLong(0) == MAGIC ? found : null;
    } catch (IOException | RuntimeException none) {
      return null;
    }
  }

  private static FileOutputStream carrier() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      Object memory = instance.get(null);
      Object at = unsafe.getMethod("objectFieldOffset", Field.class)
          .invoke(memory, FileDescriptor.class.getDeclaredField("fd"));
      FileDescriptor descriptor = new FileDescriptor();
      unsafe.getMethod("putInt", Object.class, long.class, int.class)
          .invoke(memory, descriptor, at, ENTRY_FD);
      return new FileOutputStream(descriptor);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError none) {
      return null;
    }
  }

  /** Whether a mark is heard now; true where that cannot be told. */
  public static boolean listening() {
    return carrier != null && (page == null || (page.getInt(CARRIERS_AT) & BY_WRITE) != 0);
  }

  private static void put(ByteBuffer entry) {
    try {
      carrier.write(entry.array());
    } catch (IOException always) {
      // The descriptor cannot be open.
    }
  }

  private static ByteBuffer entry(int words, int event, long argument) {
    return ByteBuffer.allocate(8 * words)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong((long) event << 32 | (argument & 0xffffffffL));
  }

  /** A point event that kutrace gives to programs (include/kutrace/events.def). */
  public static void insert(int event, long argument) {
    if (listening()) put(entry(1, event, argument));
  }

  private static void name(int kind, long number, byte[] text) {
    int words = 1 + (text.length + 7) / 8;
    put(entry(words, kind | words << 4, number).put(text));
  }

  /** What a number of this kind is called: at most 56 bytes. */
  public static void name(int kind, long number, String text) {
    byte[] bytes = String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    if (bytes.length != 0 && listening())
      name(kind, number, Arrays.copyOf(bytes, Math.min(bytes.length, NAME_BYTES)));
  }

  private static long hash(byte[] text) {
    int hash = (int) 2166136261L; // FNV-1a
    for (byte letter : text) hash = (hash ^ (letter & 0xff)) * 16777619;
    return FIRST_LONG + Integer.toUnsignedLong(hash) % (0xffffffffL - FIRST_LONG);
  }

  private static void nameLabel(byte[] text) {
    long number = hash(text);
    while (text.length > NAME_BYTES) {
      byte[] left = Arrays.copyOfRange(text, PIECE, text.length);
      long rest = hash(left);
      byte[] piece = Arrays.copyOf(Arrays.copyOf(text, PIECE), NAME_BYTES);
      for (int i = 0; i < 4; i++) piece[NAME_BYTES - 4 + i] = (byte) (rest >> 8 * i);
      name(KIND_LOCK, number, piece);
      text = left;
      number = rest;
    }
    name(KIND_LOCK, number, text);
  }

  /** Unless it was named in this beat of the recorder, or among the last marks. */
  private static void nameLately(long number, byte[] text) {
    int beat = page != null ? page.getInt(BEAT_AT) : marks.getAndIncrement() >>> 3;
    long now = number << 32 | Integer.toUnsignedLong(beat);
    int slot = (int) (number % 64);
    if (named.get(slot) == now) return;
    nameLabel(text);
    named.set(slot, now); // not before: another thread that finds it so marks at once
  }

  /** The label as a number of six letters; -1: it is longer, or has others. */
  private static long shortLabel(byte[] text) {
    if (text.length > 7 || text.length == 7 && text[0] != '/') return -1;
    long value = 0;
    long place = 1;
    for (int i = 0; i < text.length; i++) {
      int digit = LETTERS.indexOf(text[i]) + 1;
      if (digit == 0) return -1;
      if (i == 6) break;
      value += digit * place;
      place *= 40;
    }
    return value;
  }

  /**
   * A label, of which 1024 bytes are kept; one less of a label that begins something, so that its end is
   * as long. One that is null is "null".
   */
  public static void mark(String label) {
    if (!listening()) return;
    byte[] text = String.valueOf(label).getBytes(StandardCharsets.UTF_8);
    int most = text.length > 0 && text[0] == '/' ? MOST_BYTES : MOST_BYTES - 1;
    if (text.length > most) text = Arrays.copyOf(text, most);
    long number = shortLabel(text);
    if (number < 0) markLong(MARK_A, text);
    else insert(MARK_A, number);
  }

  private static void markLong(int event, byte[] text) {
    long number = hash(text);
    nameLately(number, text);
    insert(event, number);
  }

  /** A counter of the program's own is this now. */
  public static void counter(String name, long value) {
    if (!listening()) return;
    byte[] text = (name + "=" + value).getBytes(StandardCharsets.UTF_8);
    markLong(MARK_C, Arrays.copyOfRange(text, Math.max(0, text.length - MOST_BYTES), text.length));
  }

  public static void markNumber(long number) {
    insert(MARK_D, number);
  }

  /** Marks a label, and its end when it is closed. */
  public static Scope scope(String label) {
    mark(label);
    return () -> mark("/" + label);
  }

  /** What ends a scope. */
  public interface Scope extends AutoCloseable {
    @Override
    void close();
  }
}
