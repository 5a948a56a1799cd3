// SPDX-License-Identifier: BSD-3-Clause
// What has a row beside CPUs and threads, numbered as enum ObjectSort of src/emit/page_objects.h.

export const OBJECT = Object.freeze({ rpc: 0, lock: 1, queue: 2, frequency: 3, network: 4, marks: 5 });

/**
 * @typedef {{sort: number, id: number, name: string, count: number, total: number, lowest: number,
 *            highest: number}} TraceObject
 */
