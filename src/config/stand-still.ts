/**
 * Does nothing else for `ms`: for reading settings and for the end of the process, where no other work can be done. No
 * clock is asked, and nothing that a composition runs waits in this way.
 */
// eslint-disable-next-line no-restricted-syntax -- the one place that waits so
export const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
