import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { pause } from '../../src/event-sourcing/pause.js';

describe('a pause', () => {
  it('ends with true when its time is over, and leaves nothing at the signal', async () => {
    const { signal } = new AbortController();
    expect(await pause(1, signal)).to.equal(true);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('needs no signal', async () => {
    expect(await pause(1)).to.equal(true);
  });

  it('ends with false as soon as the signal comes', async () => {
    const leaving = new AbortController();
    const paused = pause(60_000, leaving.signal);
    leaving.abort();
    expect(await paused).to.equal(false);
  });

  it('ends with false at once where the signal was there before', async () => {
    expect(await pause(60_000, AbortSignal.abort())).to.equal(false);
  });
});
