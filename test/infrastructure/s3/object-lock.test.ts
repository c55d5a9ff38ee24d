import { expect } from 'chai';
import { Client } from 'minio';
import { objectLockOf } from '../../../src/infrastructure/s3/object-lock.js';
import { ServerBusy, ServerSilent } from '../../../src/infrastructure/s3/transport.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/** A runtime in which every pause is over at once. */
const runtime = { ...systemRuntime, clock: { ...systemRuntime.clock, sleep: () => Promise.resolve(true) } };

/** What is found out of a bucket whose server answers so, and how often it is asked. */
const found = async (answer: () => Promise<object>): Promise<readonly [unknown, number]> => {
  let asked = 0;
  const client = Object.assign(new Client({ endPoint: 's3.example', accessKey: 'a', secretKey: 's' }), {
    getObjectLockConfig: () => {
      asked += 1;
      return answer();
    },
  });
  const lock: unknown = await objectLockOf({ runtime, client, name: 'files' }).catch((error: unknown) => error);
  return [lock, asked];
};

const coded = (code: string): Error => Object.assign(new Error(code), { code });

describe('the object lock of a bucket', () => {
  it('is as the server says', async () => {
    for (const [answer, lock] of [
      [{ objectLockEnabled: 'Enabled' }, 'ByHold'],
      [{ objectLockEnabled: 'Enabled', mode: 'GOVERNANCE' }, 'ByDefault'],
      [{}, 'None'],
    ] as const)
      expect(await found(() => Promise.resolve(answer))).to.deep.equal([lock, 1]);
  });

  it('is none where the server knows of none, or does not say it to us', async () => {
    for (const code of ['ObjectLockConfigurationNotFoundError', 'NotImplemented', 'AccessDenied', 'MethodNotAllowed'])
      expect(await found(() => Promise.reject(coded(code)))).to.deep.equal(['None', 1]);
  });

  it('is not known where the server is busy, lost or silent', async () => {
    for (const [failure, times] of [
      [new ServerBusy(503), 3],
      [coded('SlowDown'), 3],
      [coded('ECONNRESET'), 3],
      [new ServerSilent('no byte within 1 ms'), 1],
    ] as const)
      expect(await found(() => Promise.reject(failure))).to.deep.equal([failure, times]);
  });
});
