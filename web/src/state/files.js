// SPDX-License-Identifier: BSD-3-Clause
// Which file or connection a system call is about. In: a span; out: a name, '' if there is none, or if the page does
// not tell. The page's block of files is unpacked when it is first asked for.
import { KIND } from '../model/tables.js';
import { fileOf } from '../model/call_files.js';

export class Files {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** Once they are there. @type {import('../model/call_files.js').CallFiles | null} */
    this.all = null;
    /** @type {Promise<void> | null} */
    this.reading = null;
  }

  async #read() {
    try {
      this.all = await this.app.store.block('files');
    } catch (error) {
      this.app.store.problem(/** @type {Error} */ (error).message);
    }
  }

  /** @param {import('../layout/hit.js').Found} found  a call or a piece of one */
  known(found) {
    const { trace } = this.app;
    if (!trace.hasFiles || trace.what[found.kind] !== KIND.syscall) return '';
    this.reading ??= this.#read();
    const { start, end } = found.call ?? found;
    return this.all ? fileOf(this.all, found.thread, start, end) : '';
  }

  /** @param {import('../layout/hit.js').Found} found */
  async of(found) {
    this.known(found);
    await this.reading;
    return this.known(found);
  }
}
