// SPDX-License-Identifier: BSD-3-Clause
// The drawer with requests: which kind, the slowest of that kind as a table with what each passed with, as CSV.
import { PAGE, PARTS } from '../state/requests.js';
import { NEXT, questionText, readQuestion } from '../model/intervals.js';
import { countText, counted, percentText } from '../model/number_text.js';
import { durationText, exactTime } from '../layout/time_text.js';
import { copyText, el } from '../base/dom.js';
import { scopeText } from '../model/scope.js';
import { sortedTable } from './sorted_table.js';
import { quoted } from './usage_rows.js';

/** @typedef {import('../model/intervals.js').Interval} Interval @typedef {import('../model/intervals.js').Question} Question */

/** What a kind is called in the list. @param {Question} question */
const named = (question) => ({ rpc: 'RPC ', mark: 'mark ', request: '', call: 'call ' })[question.asked] + questionText(question).replace(/^\w+ /, '').replace('..', ' … ');

export class RequestsPanel {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    this.order = { by: '', up: false };
    this.result = el('div', { class: 'requests-body' });
    this.sum = el('span', { class: 'quiet' });
    const turn = (/** @type {string} */ id, /** @type {string} */ text, /** @type {number} */ step) => el('button', { id, onclick: () => this.app.requests.turn(step) }, text);
    this.slower = turn('requests-slower', '← slower', -1);
    this.faster = turn('requests-faster', 'faster →', 1);
    this.kind = el('select', { id: 'request-kind', 'aria-label': 'Kind of request', onchange: () => this.#ask(/** @type {any} */ (this.kind).value) });
    this.copy = el('button', { id: 'requests-csv', onclick: () => this.#copy() }, 'Copy as CSV');
  }

  /** All of it, with what was asked last. */
  make() {
    this.app.requests.renew();
    this.app.requests.look();
    const { calls } = this.app.requests.kinds;
    const now = this.app.requests.question;
    const box = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ value) => el('input', { id, size: 14, spellcheck: false, autocomplete: 'off', list: `${id}-list`, placeholder: label, title: '* and ? stand for anything', 'aria-label': label, value });
    const from = box('request-from', 'from call', now?.asked === 'request' ? now.name : '');
    const until = box('request-until', 'to call', now?.asked === 'request' ? now.until : '');
    const own = el('form', { class: 'buttons', onsubmit: (/** @type {Event} */ e) => {
      e.preventDefault();
      this.#ask(`request ${/** @type {any} */ (from).value.trim()}..${/** @type {any} */ (until).value.trim()}`);
    } }, 'or from', from, 'to', until, names('request-from-list', calls), names('request-until-list', [...calls, NEXT]),
    el('button', { id: 'request-show', title: 'Of a thread, and of one file where both calls say which' }, 'Show'));
    this.update();
    return el('div', { class: 'requests' }, el('div', { class: 'requests-head' }, el('b', {}, 'Requests'), this.kind, ...(calls.length > 0 ? [own] : []), this.sum, this.slower, this.faster, this.copy), this.result);
  }

  /** @param {string} text */
  #ask(text) {
    const question = readQuestion(text);
    if (question) this.app.requests.ask(question);
    else if (text !== '') this.app.tell('Choose a call that begins a request, and one that ends it.');
  }

  /** The kinds of which the trace has some, and what was asked. */
  #offer() {
    const { question, offered, looked } = this.app.requests;
    const now = question ? questionText(question) : '';
    const kinds = offered.map((one) => [questionText(one), named(one)]);
    if (question && !kinds.some(([text]) => text === now)) kinds.push([now, named(question)]);
    const first = kinds.length > 0 ? 'choose a kind…' : looked ? 'no usual kind here' : 'looking for kinds…';
    const shown = [['', first], ...kinds];
    if (shown.join() !== this.shown) this.kind.replaceChildren(...shown.map(([value, text]) => el('option', { value }, text)));
    this.shown = shown.join();
    /** @type {any} */ (this.kind).value = kinds.some(([text]) => text === now) ? now : '';
  }

  /** What was found has changed. */
  update() {
    const { requests } = this.app;
    this.#offer();
    const { question, list, listed, from, count, cut, done, share, within } = requests;
    const where = within ? ` that begin in the selected ${durationText(within.t1 - within.t0)}${within.scope ? `, on ${scopeText(this.app.trace, within.scope)}` : ''}` : '';
    this.copy.hidden = list.length === 0;
    this.slower.hidden = from === 0;
    this.faster.hidden = from + PAGE >= list.length;
    this.sum.textContent = !question ? '' : !done ? `looking for them… ${percentText(share)}` : count === 0 ? (within ? 'None begins in the selected range, on its rows.' : 'None is in this trace.')
      : `${counted(count, 'request')}${where}${count > PAGE ? `: the slowest${from === 0 ? ` ${PAGE}` : `, ${countText(from + 1)} to ${countText(from + listed.length)}`}` : ''}${cut > 0 ? `; ${countText(cut)} cut by the recording’s ends` : ''}`;
    if (!question) {
      this.result.replaceChildren(el('p', { class: 'quiet' }, 'An RPC goes from its request to its response, a mark to the mark that ends it; a request without marks from a thread’s return from one call to its return from another, as from recvfrom to sendto on one socket.'));
      return;
    }
    const focused = this.result.contains(document.activeElement);
    this.result.replaceChildren(listed.length > 0 ? this.#table(listed) : '');
    if (focused) /** @type {HTMLElement | null} */ (this.result.querySelector('[aria-selected="true"]'))?.focus({ preventScroll: true });
  }

  /** What of its time each passed with: those that occur. @param {Interval[]} listed */
  #columns(listed) {
    const { parts } = this.app.requests;
    const occurs = PARTS.filter(([key]) => listed.some((interval) => (parts.get(interval)?.get(key) ?? 0) > 0));
    return occurs.map(([key, head]) => ({ head, key, ns: (/** @type {Interval} */ interval) => (parts.has(interval) ? parts.get(interval)?.get(key) ?? 0 : NaN) }));
  }

  /** @param {Interval[]} listed */
  #table(listed) {
    const { trace, requests } = this.app;
    const length = (/** @type {Interval} */ interval) => interval.end - interval.start;
    /** @type {import('./sorted_table.js').Column<Interval>[]} */
    const columns = [
      { head: 'latency', text: (interval) => durationText(length(interval)), value: length },
      { head: 'begin', text: (interval) => exactTime(interval.start), value: (interval) => interval.start },
      { head: 'thread', text: ({ thread }) => (thread > 1 ? trace.threadLabel(thread) : ''), value: ({ thread }) => trace.threadLabel(thread) },
      ...this.#columns(listed).map(({ head, ns }) => ({ head, value: ns, bar: (/** @type {Interval} */ interval) => (ns(interval) || 0) / length(interval),
        text: (/** @type {Interval} */ interval) => (Number.isNaN(ns(interval)) ? '…' : ns(interval) > 0 ? durationText(ns(interval)) : '') })),
    ];
    return sortedTable(columns, listed, this.order, { chosen: requests.chosen, choose: (interval) => requests.goTo(interval), changed: () => this.update() });
  }

  async #copy() {
    const { trace, requests } = this.app;
    const { listed } = requests;
    const columns = this.#columns(listed);
    const lines = [['begin_ns', 'latency_ns', 'pid', 'thread', ...columns.map(({ key, head }) => `${key.length === 1 ? head : key}_ns`)],
      ...listed.map((interval) => [interval.start, interval.end - interval.start, trace.threads[interval.thread].pid, quoted(trace.threadName(interval.thread)),
        ...columns.map(({ ns }) => (Number.isNaN(ns(interval)) ? '' : ns(interval)))])];
    const copied = await copyText(`${lines.map((line) => line.join(',')).join('\n')}\n`);
    this.app.tell(copied ? `${counted(listed.length, 'request')} copied.` : 'The browser does not allow copying.');
  }
}

/** @param {string} id @param {string[]} list */
const names = (id, list) => el('datalist', { id }, ...list.map((name) => el('option', { value: name })));
