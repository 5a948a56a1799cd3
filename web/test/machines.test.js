// SPDX-License-Identifier: BSD-3-Clause
// Whose a CPU or thread is, in a trace of several machines.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Machines } from '../src/model/machines.js';

/** @type {[string, string][]} */
const TWO = [['machine.1', 'host=db cpus=2-3,8 threads_from=4194304 clock=messages by=0 within_ns=900'],
  ['mode', 'stream'], ['machine.0', 'host=web cpus=0-1 threads_from=0 clock=own']];

test('a CPU and a thread belong to the machine that has their numbers', () => {
  const machines = new Machines(TWO);
  assert.deepEqual([0, 1, 2, 3, 8].map((cpu) => machines.ofCpu(cpu)), [' (web)', ' (web)', ' (db)', ' (db)', ' (db)']);
  assert.equal(machines.ofCpu(5), '');
  assert.equal(machines.ofThread(12), '@web');
  assert.equal(machines.ofThread(4194303), '@web');
  assert.equal(machines.ofThread(4194304), '@db');
});

test('of one machine, or of facts that are none, nothing is told', () => {
  for (const meta of [[], [TWO[2]], [['machine.0', 'no fact'], ['machine.1', 'cpus=1']]]) {
    const machines = new Machines(/** @type {[string, string][]} */ (meta));
    assert.equal(machines.ofCpu(0), '');
    assert.equal(machines.ofThread(1), '');
  }
});
