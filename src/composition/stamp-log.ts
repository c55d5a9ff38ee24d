import type { CheckpointObjects } from '../infrastructure/checkpoints/checkpoint-objects.js';
import { makeKeepTimestamp } from '../infrastructure/checkpoints/timestamps.js';
import { logStamping } from '../infrastructure/logging/log-stamping.js';
import { makePost } from '../infrastructure/witnesses/post-text.js';
import { keepStamping, type Stamping } from '../sealing/keep-stamping.js';
import type { ServiceContext } from './service-context.js';

/** Has archived checkpoints stamped by the authority of `TSA_URL`; undefined where there is none. */
export const stampLog = (
  {
    config: { tsaUrl },
    log,
    runtime,
    adapters,
    started,
  }: Pick<ServiceContext, 'config' | 'log' | 'runtime' | 'adapters' | 'started'>,
  objects: CheckpointObjects,
): Stamping | undefined => {
  if (tsaUrl === undefined) return undefined;
  const ending = new AbortController();
  const post = makePost(
    { clock: runtime.clock, fetch: adapters.fetch, signal: ending.signal },
    'application/timestamp-query',
  );
  const stamping = keepStamping({
    runtime,
    post: async (request) => {
      const { status, body } = await post(tsaUrl, Buffer.from(request));
      if (status !== 200) throw new Error(`the TSA answers with the status ${status}`);
      return body;
    },
    keep: makeKeepTimestamp(objects),
    onEvent: logStamping(log),
  });
  started.add(async () => {
    const stopped = stamping.stop();
    ending.abort();
    await stopped;
  });
  return stamping;
};
