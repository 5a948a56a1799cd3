// SPDX-License-Identifier: BSD-3-Clause
// What the build puts in.
declare const WORKER_SOURCE: string;
