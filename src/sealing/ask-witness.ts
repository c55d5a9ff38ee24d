import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { type Cosigner, cosignaturesOf } from '../seal/cosignature.js';
import type { Hash } from '../seal/hash.js';
import { unverifiedNote } from '../seal/note.js';
import { fromDecimal } from '../seal/text.js';

/** What a witness answers. */
type Answer = { readonly status: number; readonly contentType: string | null; readonly body: string };

/** Posts a text to an address; rejects where there is no short answer in time. */
export type PostText = (url: string, body: string) => Promise<Answer>;

/** The proof that the tree of a checkpoint begins with the tree of an earlier size. */
export type ProveFrom = (size: number) => Promise<ReadonlyArray<Hash>>;

type Asked = { readonly cosigner: Cosigner; readonly url: string };

/** What a witness said: its line below the note, and the size that it remembers now. */
type Cosigned = { readonly line: string; readonly time: number };

/** Our habit of asking: the size that the witness is thought to remember, then the one that it says. */
const ATTEMPTS = 2;

const WHY: Readonly<Record<number, string>> = {
  400: 'it does not understand the request',
  403: 'it does not know the key of this log',
  404: 'it does not know this log',
  409: 'it has seen another tree of this size',
  422: 'it says that the log does not extend what it saw before',
};

/** The size that a witness remembers, where that is what it answers (409 of https://c2sp.org/tlog-witness). */
const sizeIn = ({ status, contentType, body }: Answer): number | undefined => {
  const isSize = status === 409 && contentType?.split(';')[0]?.trim() === 'text/x.tlog.size' && body.endsWith('\n');
  return isSize ? fromDecimal(body.slice(0, -1)) : undefined;
};

const cosignedIn = (note: string, { cosigner }: Asked, body: string): E.Either<string, Cosigned> => {
  const whole = Buffer.from(`${note}${body}`);
  const cosignatures = cosignaturesOf(whole, [cosigner]);
  if (E.isLeft(cosignatures)) return E.left(`its answer is wrong: ${cosignatures.left}`);
  const [own] = cosignatures.right;
  const parsed = unverifiedNote(whole);
  if (own === undefined || E.isLeft(parsed)) return E.left('its answer has no cosignature by its key');
  // the answer may have lines by other keys: one is taken, in our spelling
  const { signature } =
    parsed.right.signatures.find(({ name, id }) => name === cosigner.name && id === cosigner.id) ?? {};
  const bytes = Buffer.concat([Buffer.from(cosigner.id, 'hex'), signature ?? Buffer.alloc(0)]);
  return E.right({ line: `— ${cosigner.name} ${bytes.toString('base64')}\n`, time: own.time });
};

/**
 * Asks a witness to cosign a checkpoint (`add-checkpoint` of https://c2sp.org/tlog-witness). `known` is the size that it is
 * thought to remember; it says which it is, where it is another one. Left: why it does not cosign. Rejects with what `post` and `prove` reject with.
 */
export const askWitness = async (
  post: PostText,
  asked: Asked,
  { size, note }: SignedCheckpoint,
  prove: ProveFrom,
  known: number,
): Promise<E.Either<string, Cosigned>> => {
  let old = known;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (old > size) return E.left(`it remembers ${old} events, and the log has ${size}: the log was taken back`);
    const proof = (await prove(old)).map((hash) => `${hash.toString('base64')}\n`).join('');
    const answer = await post(`${asked.url}/add-checkpoint`, `old ${old}\n${proof}\n${note}`);
    if (answer.status === 200) return cosignedIn(note, asked, answer.body);
    const remembered = sizeIn(answer);
    if (remembered === undefined || remembered === old)
      return E.left(WHY[answer.status] ?? `it answers with the status ${answer.status}`);
    old = remembered;
  }
  return E.left('it says another size each time');
};
