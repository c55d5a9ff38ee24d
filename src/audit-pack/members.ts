import { createHash } from 'node:crypto';
import { CannotPack } from './cannot-pack.js';
import type { ListedMember } from './manifest.js';

/** A member of the ZIP, as it is listed, with its content, which is read when its turn has come. */
export type Member = ListedMember & { readonly content: () => AsyncIterable<Buffer> };

/** Counts and hashes what a member will hold. */
export class Digest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  add(piece: string | Buffer): void {
    this.#bytes += Buffer.byteLength(piece);
    this.#hash.update(piece);
  }

  listedAs(name: string): ListedMember {
    return { name, sha256: this.#hash.digest('hex'), bytes: this.#bytes };
  }
}

/** How a content that is short is listed. */
export const listed = (name: string, content: string | Buffer): ListedMember => {
  const digest = new Digest();
  digest.add(content);
  return digest.listedAs(name);
};

/** How a content that is made piece by piece is listed. */
export const listedPieces = async (name: string, pieces: AsyncIterable<Buffer>): Promise<ListedMember> => {
  const digest = new Digest();
  for await (const piece of pieces) digest.add(piece);
  return digest.listedAs(name);
};

/** A member with a short content. */
export const shortMember = (name: string, content: string | Buffer): Member => ({
  ...listed(name, content),
  // eslint-disable-next-line @typescript-eslint/require-await -- as if it were read
  content: async function* () {
    yield Buffer.from(content);
  },
});

/** The content of a member, which ends with an error when it is not as it was listed. */
export async function* checked({ name, sha256, bytes, content }: Member): AsyncGenerator<Buffer> {
  const digest = new Digest();
  let size = 0;
  for await (const piece of content()) {
    size += piece.length;
    if (size > bytes) throw new CannotPack(`${name} has more than the ${bytes} bytes that it should have`);
    digest.add(piece);
    yield piece;
  }
  const found = digest.listedAs(name);
  if (found.bytes !== bytes) throw new CannotPack(`${name} has ${found.bytes} bytes, and should have ${bytes}`);
  if (found.sha256 !== sha256)
    throw new CannotPack(`${name} has the SHA-256 ${found.sha256}, and should have ${sha256}`);
}
