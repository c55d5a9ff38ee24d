import { isDeepStrictEqual } from 'node:util';
import { eventually } from './eventually.js';
import { type ServiceProcess, tokenFor } from './service-process.js';

/** What `/readyz` answers, as documented. */
export type Readiness = {
  readonly status: number;
  readonly text: string;
  readonly message?: string;
  readonly warnings?: ReadonlyArray<string>;
};

type Address = Pick<ServiceProcess, 'address'>;

/** No promise of the service, only when to give up. */
const LONG_ENOUGH_MS = 60_000;

export const readinessOf = async ({ address }: Address): Promise<Readiness> => {
  const response = await fetch(`${address}/readyz`);
  const text = await response.text();
  return { ...(JSON.parse(text) as Readiness), status: response.status, text }; // reason: as documented
};

/** Waits until a service answers so to who asks whether it is ready: it tells nobody else. */
export const untilReadiness = async (
  service: Address,
  satisfies: (readiness: Readiness) => boolean,
  timeoutMs = LONG_ENOUGH_MS,
): Promise<Readiness> => {
  // polls: readiness is told to who asks
  const found = await eventually(() => readinessOf(service), satisfies, timeoutMs);
  if (!satisfies(found)) throw new Error(`/readyz goes on with ${JSON.stringify(found)}`);
  return found;
};

export const untilReady = (service: Address, timeoutMs?: number): Promise<Readiness> =>
  untilReadiness(service, ({ status }) => status === 200, timeoutMs);

export const untilUnready = (service: Address, timeoutMs?: number): Promise<Readiness> =>
  untilReadiness(service, ({ status }) => status === 503, timeoutMs);

export const scrape = async ({ address }: Address): Promise<string> => {
  const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
  return (await fetch(`${address}/metrics`, { headers })).text();
};

/** The value of a metric in a scrape, by its name with its labels; NaN where there is none. */
export const valueIn = (text: string, name: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );

/** Waits until the metrics of a service are so: they are told to who scrapes them. */
export const untilMetrics = async (
  service: Address,
  satisfies: (text: string) => boolean,
  timeoutMs = LONG_ENOUGH_MS,
): Promise<string> => {
  // polls: the metrics are told to who scrapes them
  const text = await eventually(() => scrape(service), satisfies, timeoutMs);
  if (!satisfies(text)) throw new Error(`the metrics go on with\n${text}`);
  return text;
};

/** Waits until the rows of these read models lack nothing of the log, as the service knows that writes them. */
export const untilCaughtUp = (service: Address, ...readModels: ReadonlyArray<string>): Promise<string> =>
  untilMetrics(service, (text) =>
    isDeepStrictEqual(
      readModels.map((name) => valueIn(text, `projection_lag_events{read_model="${name}"}`)),
      readModels.map(() => 0),
    ),
  );
