import type { Listener } from '../http/serve.js';
import type { Started } from './started.js';

type Served = { readonly address: string; readonly stop: () => Promise<void> };

/** The address of the service, where one listener may take over from another. */
export type Front = {
  /** Rejects when the address cannot be taken, so that this is known before a database is made. Does not keep it. */
  readonly probe: () => Promise<void>;
  /** Has requests answered by this listener from now on. Gives the address, which is taken with the first one. */
  readonly show: (listener: Listener) => Promise<string>;
  /** Lets running requests finish, and gives the address up. */
  readonly stop: () => Promise<void>;
};

/** `serve` takes the address; it is given up with what is `started` at the latest. */
export const makeFront = (serve: (listener: Listener) => Promise<Served>, started: Started): Front => {
  let current: Listener;
  let serving: Promise<Served> | undefined;
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    // an address that could not be taken is none to be given up
    const served = await serving?.catch(() => undefined);
    stopping ??= served?.stop();
    await stopping;
  };
  return {
    probe: async () => (await serve(() => undefined)).stop(),
    show: async (listener) => {
      current = listener;
      serving ??= serve((request, response) => current(request, response));
      started.add(stop);
      return (await serving).address;
    },
    stop,
  };
};
