import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { either as E } from 'fp-ts';
import { hashFromBase64 } from '../../src/seal/base64.js';
import { parseCheckpoint } from '../../src/seal/checkpoint.js';
import { cosignedText } from '../../src/seal/cosignature.js';
import { EMPTY_ROOT, type Hash } from '../../src/seal/hash.js';
import { openNote } from '../../src/seal/note.js';
import type { Verifier } from '../../src/seal/note-key.js';
import { fromDecimal } from '../../src/seal/text.js';
import { verifyConsistency } from '../../src/seal/verify-proofs.js';

type Answer = { readonly status: number; readonly type?: string; readonly body: string };

const conflict = (size: number): Answer => ({ status: 409, type: 'text/x.tlog.size', body: `${size}\n` });

const refused = (status: number): Answer => ({ status, body: 'no\n' });

type Head = { readonly size: number; readonly root: Hash };

const DER = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key of a witness, by its name and secret. */
export const witnessKey = (name: string, byte: number) => {
  const secret = createPrivateKey({ key: Buffer.concat([DER, Buffer.alloc(32, byte)]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32);
  const typed = Buffer.concat([Buffer.of(4), publicKey]);
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'hex').slice(0, 8);
  return { name, secret, id, vkey: `${name}+${id}+${typed.toString('base64')}` };
};

/** A cosignature line, over the text of a note. */
export const cosignatureLine = (
  { name, id, secret }: { readonly name: string; readonly id: string; readonly secret: KeyObject },
  note: string,
  time: number,
): string => {
  const body = note.slice(0, note.lastIndexOf('\n\n') + 1);
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(BigInt(time));
  const signature = sign(null, Buffer.from(cosignedText(time, body)), secret);
  return `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), stamp, signature]).toString('base64')}\n`;
};

/**
 * A witness as https://c2sp.org/tlog-witness has it: it remembers, in a file, the largest tree that it has cosigned of each
 * log that it knows, and cosigns what extends it, by the proof.
 */
export class SmallWitness {
  readonly key: ReturnType<typeof witnessKey>;
  /** Requests, by their answers. */
  readonly answered: Array<number> = [];
  /** What it says instead; a test sets it. */
  instead: ((answer: Answer) => Answer | Promise<Answer>) | undefined = undefined;
  readonly #server: Server;
  readonly #logs: ReadonlyArray<Verifier>;
  readonly #file: string;
  readonly #now: () => number;

  constructor(
    key: ReturnType<typeof witnessKey>,
    logs: ReadonlyArray<Verifier>,
    file: string,
    now: () => number = () => Math.floor(Date.now() / 1_000),
  ) {
    [this.key, this.#logs, this.#file, this.#now] = [key, logs, file, now];
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // reason: it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #heads(): Readonly<Record<string, { readonly size: number; readonly root: string }>> {
    try {
      // reason: it is what `#remember` has written
      return JSON.parse(readFileSync(this.#file, 'utf8')) as ReturnType<SmallWitness['heads']>;
    } catch {
      return {};
    }
  }

  heads(): Readonly<Record<string, { readonly size: number; readonly root: string }>> {
    return this.#heads();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const honest = request.method === 'POST' && request.url === '/add-checkpoint' ? this.#add(body) : refused(404);
    const answer = this.instead === undefined ? honest : await this.instead(honest);
    this.answered.push(answer.status);
    response.writeHead(answer.status, { 'content-type': answer.type ?? 'text/plain' }).end(answer.body);
  }

  /** In one step: nobody else is served between reading and writing what it remembers. */
  #add(request: string): Answer {
    const end = request.indexOf('\n\n');
    const [first = '', ...encoded] = request.slice(0, end).split('\n');
    const old = fromDecimal(/^old (\d+)$/.exec(first)?.[1] ?? '');
    const proof = encoded.map(hashFromBase64).filter((one) => one !== undefined);
    if (end < 0 || old === undefined || proof.length < encoded.length || proof.length > 63) return refused(400);
    const note = request.slice(end + 2);
    const origin = note.slice(0, note.indexOf('\n'));
    const known = this.#logs.filter(({ name }) => name === origin);
    if (known.length === 0) return refused(404);
    const opened = openNote(Buffer.from(note), known);
    const checkpoint = E.isLeft(opened) ? opened : parseCheckpoint(opened.right.text);
    if (E.isLeft(checkpoint)) return refused(403);
    const { size, root } = checkpoint.right;
    if (old > size) return refused(400);
    const heads = this.#heads();
    const { [origin]: head } = heads;
    const remembered: Head =
      head === undefined ? { size: 0, root: EMPTY_ROOT } : { size: head.size, root: Buffer.from(head.root, 'base64') };
    if (remembered.size !== old) return conflict(remembered.size);
    if (old === size && !remembered.root.equals(root)) return conflict(remembered.size);
    if (!verifyConsistency(remembered, { size, root }, proof)) return refused(422);
    writeFileSync(this.#file, JSON.stringify({ ...heads, [origin]: { size, root: root.toString('base64') } }));
    return { status: 200, body: cosignatureLine(this.key, note, this.#now()) };
  }
}
