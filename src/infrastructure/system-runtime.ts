import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Cancel, type Clock, sleepBy, type TimerOptions } from '../event-sourcing/clock.js';
import type { Random } from '../event-sourcing/random.js';
import type { Runtime } from '../event-sourcing/runtime.js';

const started = (timer: NodeJS.Timeout, { isBackground = false }: TimerOptions = {}): Cancel => {
  if (isBackground) timer.unref();
  return () => clearTimeout(timer); // which ends an interval, too
};

/** The longest time that a timer of Node takes, ms: 24 days. One that is set to more ends at once. */
const LONGEST = 2 ** 31 - 1;

const after: Clock['after'] = (ms, task, options) => {
  if (ms <= LONGEST) return started(setTimeout(task, ms), options);
  let cancel = after(LONGEST, () => (cancel = after(ms - LONGEST, task, options)), options);
  return () => cancel();
};

const clock: Clock = {
  date: () => new Date(),
  monotonic: () => performance.now(),
  computed: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  sleep: sleepBy(after),
  after,
  every: (ms, task, options) => started(setInterval(task, ms), options),
  soon: (task) => {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  },
};

/**
 * Asked for 16 bytes, the system takes longer than hashing the event they are for: so salts and ids come from a store of
 * 4 KiB. What is longer may be a secret, and has memory of its own.
 */
const STORE_BYTES = 4_096;
const FEW_BYTES = 16;
const store = Buffer.allocUnsafeSlow(STORE_BYTES);
let used = STORE_BYTES;

const bytes: Random['bytes'] = (size) => {
  if (size > FEW_BYTES) return randomBytes(size);
  if (used + size > STORE_BYTES) {
    randomFillSync(store);
    used = 0;
  }
  used += size;
  return Buffer.from(store.subarray(used - size, used));
};

/** The clock and the cryptographic generator of this machine: the one place where the product takes them from it. */
export const systemRuntime: Runtime = {
  clock,
  random: {
    bytes,
    uuid: () => uuidv7({ msecs: clock.date().getTime(), random: bytes(16) }),
    fraction: () => Math.random(),
  },
};
