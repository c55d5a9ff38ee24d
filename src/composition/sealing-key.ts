import type { Config } from '../config.js';
import { orThrow } from '../event-sourcing/attempt.js';
import type { EventKey } from '../event-sourcing/event-key.js';
import type { Random } from '../event-sourcing/random.js';
import type { Adapters } from './adapters.js';

/** What this process seals new events with; without a key it says so in the log. Throws an error that names the fault. */
export const sealingKey = async (
  { eventKeys }: Pick<Adapters['keys'], 'eventKeys'>,
  random: Random,
  config: Config,
  log: { readonly warn: (message: string) => unknown },
): Promise<EventKey | undefined> => {
  const [newest] = orThrow(await eventKeys(random, config));
  if (newest === undefined)
    log.warn(
      'events get no mac: who can write into the database can append in the name of others. Set EVENT_KEY_FILE.',
    );
  return newest;
};
