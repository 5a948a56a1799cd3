// SPDX-License-Identifier: BSD-3-Clause
// A picture as SVG: pixels become rectangles without loss, canvas calls become elements, text stays text.
import test from 'node:test';
import assert from 'node:assert/strict';
import { VectorContext, xmlText } from '../src/draw/vector_context.js';
import { cssOf, pixelPaths } from '../src/draw/vector_pixels.js';

const measure = { font: '', measureText: (text) => ({ width: text.length * 6 }) };

/** Paints the rectangles of a path again. */
function painted(paths, width, height, back) {
  const pixels = new Uint32Array(width * height).fill(back);
  for (const [colour, d] of paths) {
    for (const [, x, y, w, h] of d.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)) {
      for (let row = +y; row < +y + +h; row++) pixels.fill(colour, row * width + +x, row * width + +x + +w);
    }
  }
  return pixels;
}

test('rectangles paint the same pixels again', () => {
  const width = 37;
  const height = 23;
  let seed = 7;
  const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % n;
  for (const colours of [1, 2, 5]) {
    const pixels = Uint32Array.from({ length: width * height }, () => random(colours) + 10);
    for (let i = 0; i < 6; i++) {
      const x = random(width);
      for (let y = random(height); y < height; y++) pixels.fill(11, y * width + x, y * width + Math.min(width, x + 9));
    }
    const paths = pixelPaths({ pixels, width, height }, 10);
    assert.ok(!paths.has(10), 'the background is left out');
    assert.deepEqual(painted(paths, width, height, 10), pixels);
  }
});

test('equal rows become one rectangle', () => {
  const pixels = new Uint32Array(20).fill(3);
  assert.deepEqual([...pixelPaths({ pixels, width: 4, height: 5 }, 0)], [[3, 'M0 0h4v5h-4z']]);
  assert.equal(cssOf(0xff332211), '#112233');
});

test('what is drawn becomes elements; groups are closed', () => {
  const c = new VectorContext(measure);
  c.fillStyle = '#ff000080';
  c.fillRect(1, 2, 3, 4);
  c.save();
  c.beginPath();
  c.rect(0, 0, 9, 9);
  c.clip();
  c.translate(5, 6);
  c.strokeStyle = '#00ff00';
  c.beginPath();
  c.moveTo(0, 0);
  c.lineTo(1.23456, 2);
  c.stroke();
  c.restore();
  c.font = 'bold 12px system-ui, sans-serif';
  c.fillText('a < b & "c"', 1, 1);
  assert.match(c.svg, /<rect x="1" y="2" width="3" height="4" fill="#ff0000" opacity="0.5"\/>/);
  assert.match(c.svg, /<path d="M0 0L1.23 2" fill="none" stroke="#00ff00"/);
  assert.match(c.svg, /font-weight="bold"[^>]*>a &lt; b &amp; &quot;c&quot;<\/text>/);
  assert.equal(c.svg.match(/<g/g).length, c.svg.match(/<\/g>/g).length);
});

test('text that XML does not allow is replaced', () => {
  assert.equal(xmlText('a\u0000b\ud800c\ud83d\ude00'), 'a\ufffdb\ufffdc\ud83d\ude00');
});
