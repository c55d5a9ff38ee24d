import { CallFailed } from './call-failed.js';
import { type Endpoint, nameOf, type Settings } from './connection-string.js';
import type { Asker, Gossip } from './gossip.js';

type Answer = { readonly asked: Endpoint; readonly gossip: Gossip };

const isSame = (one: Endpoint, other: Endpoint): boolean => nameOf(one) === nameOf(other);

const isLeading = ({ asked, gossip }: Answer): boolean => gossip.leader !== undefined && isSame(asked, gossip.leader);

/**
 * Asks all at once. The first that says that it leads ends the question; a frozen one would hold up the answer.
 * Otherwise all that were given. Rejects with the first failure when there are none.
 */
const question = async (endpoints: ReadonlyArray<Endpoint>, { ask }: Asker): Promise<ReadonlyArray<Answer>> => {
  const asking = endpoints.map(async (asked): Promise<Answer> => ({ asked, gossip: await ask(asked) }));
  const leading = asking.map(async (answering) => {
    const answer = await answering;
    if (!isLeading(answer)) throw new Error('not the leader');
    return [answer];
  });
  return Promise.any(leading).catch(async () => {
    const settled = await Promise.allSettled(asking);
    const answers = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const failure = settled.find((outcome) => outcome.status === 'rejected');
    if (answers.length === 0 && failure !== undefined) throw failure.reason;
    return answers;
  });
};

const namedBy = (answers: ReadonlyArray<Answer>): ReadonlyArray<Endpoint> => {
  const named = new Map<string, Endpoint>();
  for (const { gossip } of answers) if (gossip.leader !== undefined) named.set(nameOf(gossip.leader), gossip.leader);
  return [...named.values()];
};

/**
 * The node that itself says that it leads. Others still name a frozen leader for seconds; it cannot say so itself.
 * A single node is taken where it was asked: behind a mapped port its own idea of its address does not count.
 * Rejects with `CallFailed` when there is none.
 */
export const findLeader = async ({ seeds, isDiscovered }: Settings, asker: Asker): Promise<Endpoint> => {
  const answers = await question(seeds, asker);
  const single = answers.find(({ gossip }) => gossip.members === 1 && gossip.leader !== undefined);
  if (!isDiscovered && single !== undefined) return single.asked;
  const told = answers.find(isLeading);
  if (told !== undefined) return told.asked;
  const others = namedBy(answers).filter((leader) => !answers.some(({ asked }) => isSame(asked, leader)));
  const leader = others.length === 0 ? undefined : (await question(others, asker)).find(isLeading);
  if (leader === undefined) throw new CallFailed('not-done', 'EventStoreDB: no node says that it leads');
  return leader.asked;
};
