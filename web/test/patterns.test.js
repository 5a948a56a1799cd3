// SPDX-License-Identifier: BSD-3-Clause
// Patterns that people write or that a link brings: what they match, and that none of them stops the page.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fitted } from '../src/draw/fitted.js';
import { fitting } from '../src/model/wildcards.js';
import { readPattern } from '../src/model/patterns.js';

test('stars stand for anything, a question mark for one character', () => {
  for (const [pattern, text] of [['read', 'read'], ['re*', 're'], ['*ad', 'read'], ['r?ad', 'read'], ['*a*b*', 'xaybz'], ['*', ''], ['a.c*', 'a.cd'], ['**b', 'abab']]) {
    assert.ok(fitting(pattern)(text), `${pattern} ${text}`);
  }
  for (const [pattern, text] of [['read', 'reads'], ['re?', 're'], ['*ad', 'adr'], ['a.c', 'abc'], ['', 'a'], ['*a*b', 'ba']]) assert.ok(!fitting(pattern)(text), `${pattern} ${text}`);
});

test('many stars take no longer', () => {
  const begin = performance.now();
  assert.ok(!fitting(`${'*s'.repeat(40)}*q`)('s'.repeat(4000)));
  assert.ok(performance.now() - begin < 1000);
});

test('an expression that could take for ever is refused', () => {
  for (const bad of ['(a+)+$b', '(a|a)*b', '(a*){9}', '(a?){30}', '((ab)*c)+', 'a*a*a*a*b', 'a?'.repeat(30), '(a|b)'.repeat(30), '(?:x+)+', '(?<n>x+){2,}']) {
    assert.throws(() => readPattern(bad, ''), /for ever/, bad);
  }
  assert.throws(() => readPattern('(', ''), SyntaxError);
});

test('usual expressions are not', () => {
  for (const [good, text] of [['^(read|write)$', 'read'], ['^p?read(v2?)?$', 'preadv'], ['open.*at', 'openat'], ['\\(a+\\)+', '(a)'], ['[(+*]+x', '(x'], ['(abc)+', 'abcabc'], ['a{3}b{1,2}', 'aaab'],
    [`^(${Array.from({ length: 3000 }, (_, i) => `name${i}`).join('|')})$`, 'name7']]) {
    assert.ok(readPattern(good, '').test(text), good);
  }
});

test('a long name is cut to fit with few measurements, and keeps its end', () => {
  let measured = 0;
  const paper = { measureText: (/** @type {string} */ text) => {
    measured++;
    return { width: text.length * 6 };
  } };
  assert.equal(fitted(paper, 'x'.repeat(4000), 60, '.17', 3), `${'x'.repeat(6)}….17`);
  assert.equal(fitted(paper, 'short', 60, '.17', 3), 'short.17');
  assert.equal(fitted(paper, 'abcdefgh', 6, '', 3), 'abc…');
  assert.ok(measured < 30, String(measured));
});
