// SPDX-License-Identifier: BSD-3-Clause
// Keeps the page loading until its picture is there, with details: the browser shows that something happens, and
// who waits until a page is loaded, as one does that shoots it, gets the picture. A frame of the page's own
// whose document is open is what it waits for; nothing is fetched.

const ID = 'loading';

export function keepLoading() {
  const frame = document.createElement('iframe');
  frame.id = ID;
  frame.hidden = true;
  document.documentElement.append(frame);  // not to the body, which is what a trace changes
  frame.contentDocument?.open();
}

/** May be called more than once. */
export function loaded() {
  const frame = document.getElementById(ID);
  if (!(frame instanceof HTMLIFrameElement)) return;
  frame.contentDocument?.close();
  frame.remove();
}
