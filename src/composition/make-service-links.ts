import { type Links, makeLinks } from '../http/link/links.js';
import type { ServiceContext } from './service-context.js';

/** Links under the key that all processes of this service share; undefined without one, which is said in the log. */
export const makeServiceLinks = async ({
  config,
  log,
  runtime: { clock, random },
  adapters,
}: Pick<ServiceContext, 'config' | 'log' | 'runtime' | 'adapters'>): Promise<Links | undefined> => {
  const key = await adapters.keys.linkKey(random, config);
  if (key !== undefined) return makeLinks(clock, key, config.publicUrl);
  log.info('no links for a while are made: set LINK_KEY_FILE, to the same key in all processes');
  return undefined;
};
