import type { Random } from '../../src/event-sourcing/random.js';
import type { Cluster } from './cluster.js';
import type { Notebook } from './notebook.js';
import type { Answer } from './request.js';
import type { Service } from './service.js';
import type { World } from './world.js';

const COMMANDS_EACH = 12;
/** How often a request is made until it is answered otherwise than by 503, and the pause between two of them, ms. */
const [TRIES, PAUSE_MS] = [60, 1_500];
/** The longest that an answer may take, ms: a service may be frozen meanwhile. */
const LONGEST_MS = 40_000;

/** A record, and the names that it was given and that were acknowledged. */
export type Acknowledged = { readonly id: string; readonly names: ReadonlyArray<string> };

type Clients = {
  /** Resolves when each client has done what it does. */
  readonly done: Promise<void>;
  readonly acknowledged: () => ReadonlyArray<Acknowledged>;
};

type Place = { readonly world: World; readonly cluster: Cluster; readonly notes: Notebook; readonly random: Random };

/** Asks one service after the other until one answers otherwise than by 503; undefined when none does. */
const askAny = async (
  { world, cluster, notes }: Place,
  ...[method, path, headers, body]: Parameters<Service['ask']>
): Promise<Answer | undefined> => {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const running = cluster.running();
    const service = running[Math.floor(world.random() * running.length)];
    if (service !== undefined)
      try {
        const tooLong = world.sleep(LONGEST_MS).then(() => undefined);
        const answer = await Promise.race([service.ask(method, path, headers, body), tooLong]);
        if (answer === undefined && service.process.isAlive()) notes.breaks(`${method} ${path} was not answered`);
        if (answer !== undefined) notes.count(`${method} ${answer.status}`);
        if (answer !== undefined && answer.status !== 503) return answer;
      } catch {
        notes.count(`${method} lost`);
      }
    await world.sleep(world.random() * PAUSE_MS);
  }
  return undefined;
};

// reason: a record of a business
const recordIn = (text: string) => JSON.parse(text) as { readonly _id: string; readonly name: string };
// reason: records of businesses
const recordsIn = (text: string) => JSON.parse(text) as ReadonlyArray<ReturnType<typeof recordIn>>;

/**
 * Clients that create and change businesses with keys, and hold the service to what it answered: a record shows each
 * acknowledged change in every service from then on, and so does a list unless the answer said otherwise.
 */
export const startClients = (place: Place, many: number, lifeMs: number): Clients => {
  const { world, notes, random } = place;
  const acknowledged: Array<{ readonly id: string; readonly names: Array<string> }> = [];

  const check = async (id: string, name: string, isListed: boolean): Promise<void> => {
    const read = await askAny(place, 'GET', `/api/v1/business/${id}`);
    const shown = read?.status === 200 ? recordIn(read.text).name : read?.status;
    if (shown !== name) notes.breaks(`${id} shows ${String(shown)} after ${name}`);
    const list = isListed ? await askAny(place, 'GET', '/api/v1/business') : undefined;
    if (list?.status !== 200) return;
    const names = recordsIn(list.text).flatMap((record) => (record._id === id ? [record.name] : []));
    if (names.join() !== name) notes.breaks(`a list shows ${id} as ${names.join(' and ')} after ${name}`);
  };

  const client = async (who: string): Promise<void> => {
    let own: (typeof acknowledged)[number] | undefined;
    for (let command = 0; command < COMMANDS_EACH; command += 1) {
      await world.sleep(world.random() * ((2 * lifeMs) / COMMANDS_EACH));
      const name = `${who} ${command}`;
      const isNew = own === undefined || world.random() < 0.3;
      const [method, path] = isNew ? ['POST', ''] : ['PUT', `/${own?.id ?? ''}`];
      const headers = { 'idempotency-key': `"${random.uuid()}"` };
      const answer = await askAny(place, method, `/api/v1/business${path}`, headers, { name, address: {} });
      if (answer?.status !== 200) {
        notes.breaks(`${name} was answered by ${answer === undefined ? 'nobody' : `${answer.status} ${answer.text}`}`);
        return;
      }
      const { _id: id } = recordIn(answer.text);
      if (isNew || own === undefined) acknowledged.push((own = { id, names: [] }));
      own.names.push(name);
      notes.say(`${name} is ${id}${answer.isProjected ? '' : ', not projected'}`);
      await check(id, name, answer.isProjected);
    }
  };

  const all = Array.from({ length: many }, (_, number) => client(`client ${number}`));
  return { done: Promise.all(all).then(() => undefined), acknowledged: () => acknowledged };
};
