/** What a trial has to know of a profile of `docker-compose.yml`. */
export type Stack = {
  /** What the docs say to start; nothing: all that has no profile. */
  readonly up: ReadonlyArray<string>;
  /** The containers of the service's image, in the order in which they are upgraded. */
  readonly services: ReadonlyArray<string>;
  /** What they work on. Without one of them, an API still answers everything itself. */
  readonly stores: ReadonlyArray<string>;
  /** What is before them. */
  readonly proxies: ReadonlyArray<string>;
  readonly portVariable: string;
  /** Where operator's commands run: it sees all keys. */
  readonly operator: string;
  /** Without one of these, and with the others, changes are still acknowledged. */
  readonly spare: ReadonlyArray<string>;
};

const PROJECTORS = ['projector1', 'projector2'];
const APIS = ['api1', 'api2'];
const NODES = ['log1', 'log2', 'log3'];

export const STACKS: Readonly<Record<string, Stack>> = {
  single: {
    up: [],
    services: ['service'],
    stores: ['postgres', 'files', 'log'],
    proxies: [],
    portVariable: 'PORT',
    operator: 'service',
    spare: ['postgres'],
  },
  cluster: {
    up: ['proxy', ...PROJECTORS],
    services: [...PROJECTORS, ...APIS],
    stores: ['postgres', 'files', ...NODES],
    proxies: ['proxy'],
    portVariable: 'PROXY_PORT',
    operator: 'projector1',
    spare: ['postgres', ...PROJECTORS, ...APIS, ...NODES],
  },
};
