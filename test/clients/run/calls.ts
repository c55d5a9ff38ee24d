import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Answer, Cannot, Client, Document, Page } from '../samples/client.js';

/** Clients of one service: of an admin, and of somebody without a token. */
export type Clients = {
  readonly admin: Client;
  readonly nobody: Client;
  /** The file of a document, read by no generated client. */
  readonly storedFile: (id: string) => Promise<Buffer>;
};

/** Tries one call; throws when it does not do what is promised, and resolves with why, where the client cannot make it. */
type Try = (clients: Clients) => Promise<Cannot | undefined>;

const FILE = Buffer.from([0, 255, 10, 13, 10, 0xc3, 0x28, ...Buffer.from('kept to the byte')]);
const FILE_NAME = 'lease (first).bin';

const isCannot = (call: object): call is Cannot => 'cannot' in call;

const valueOf = <A>(answer: Answer<A>): A => {
  if (!answer.ok) throw new Error(`answered ${answer.status} ${answer.code ?? 'without a code'}`);
  return answer.value;
};

const expectRefused = (answer: Answer<unknown>, status: number, code: string): void => {
  expect(answer).to.deep.equal({ ok: false, status, code });
};

const newDocument = async ({ createDocument, createByForm }: Client): Promise<Document> => {
  if (!isCannot(createDocument)) return valueOf(await createDocument('Lease'));
  if (!isCannot(createByForm)) return valueOf(await createByForm('Lease', new File(['another'], 'another.txt')));
  throw new Error('it can create no document');
};

const expectStored = async ({ storedFile }: Clients, { _id, size, originalName }: Document): Promise<void> => {
  expect({ size, originalName }).to.deep.equal({ size: FILE.length, originalName: FILE_NAME });
  expect((await storedFile(_id)).equals(FILE), 'the bytes').to.equal(true);
};

/** A document with the file, by whatever way the client has. */
const withFile = async (client: Client): Promise<Document> => {
  const { createByForm, putFile } = client;
  if (!isCannot(createByForm)) return valueOf(await createByForm('Lease', new File([FILE], FILE_NAME)));
  if (isCannot(putFile)) throw new Error('it can send no file');
  return valueOf(await putFile((await newDocument(client))._id, new Blob([FILE]), FILE_NAME));
};

/** What is tried with each client, in the order of the columns. */
export const CALLS: Readonly<Record<string, Try>> = {
  create: async ({ admin }) => {
    const made = valueOf(await admin.create('Acme Inc.'));
    expect(made).to.include({ name: 'Acme Inc.', city: 'Berlin', website: null, revision: 0 });
    expect(valueOf(await admin.get(made._id))).to.deep.equal(made);
    return undefined;
  },
  list: async ({ admin }) => {
    const name = `listed ${randomUUID()}`;
    const made = valueOf(await admin.create(name));
    expect(valueOf(await admin.list(name, 10))).to.deep.equal({ businesses: [made], link: null });
    return undefined;
  },
  pages: async ({ admin }) => {
    const name = `paged ${randomUUID()}`;
    const made: Array<string> = [];
    for (let count = 0; count < 5; count += 1) made.push(valueOf(await admin.create(name))._id);
    const seen: Array<string> = [];
    const lengths: Array<number> = [];
    let after: string | undefined;
    do {
      const { businesses, link }: Page = valueOf(await admin.list(name, 2, after));
      lengths.push(businesses.length);
      seen.push(...businesses.map(({ _id }) => _id));
      after = /[?&]after=([^&>]+)[^>]*>; *rel="next"/.exec(link ?? '')?.[1];
      if (after !== undefined) expect(after).to.equal(seen.at(-1));
    } while (after !== undefined);
    expect({ seen, lengths }).to.deep.equal({ seen: made, lengths: [2, 2, 1] });
    return undefined;
  },
  update: async ({ admin }) => {
    const { _id } = valueOf(await admin.create('Acme Inc.'));
    const updated = valueOf(await admin.update(_id, 0, 'acme.example'));
    expect(updated).to.include({ website: 'acme.example', city: null, name: 'Acme Inc.', revision: 1 });
    return undefined;
  },
  'If-Match': async ({ admin }) => {
    const { _id } = valueOf(await admin.create('Acme Inc.'));
    valueOf(await admin.update(_id, 0, 'acme.example'));
    expectRefused(await admin.update(_id, 0, 'other.example'), 412, 'precondition_failed');
    expect(valueOf(await admin.get(_id))).to.include({ website: 'acme.example', revision: 1 });
    return undefined;
  },
  'raw file': async (clients) => {
    const { admin } = clients;
    if (isCannot(admin.putFile)) return admin.putFile;
    const { _id } = await newDocument(admin);
    await expectStored(clients, valueOf(await admin.putFile(_id, new Blob([FILE]), FILE_NAME)));
    return undefined;
  },
  'file by form': async (clients) => {
    const { createByForm } = clients.admin;
    if (isCannot(createByForm)) return createByForm;
    await expectStored(clients, valueOf(await createByForm('Lease', new File([FILE], FILE_NAME))));
    return undefined;
  },
  download: async ({ admin }) => {
    const { download } = admin;
    if (isCannot(download)) return download;
    const { _id } = await withFile(admin);
    expect(Buffer.from(valueOf(await download(_id))).equals(FILE), 'the bytes').to.equal(true);
    return undefined;
  },
  events: async ({ admin }) => {
    const { _id } = valueOf(await admin.create('Acme Inc.'));
    valueOf(await admin.update(_id, 0, 'acme.example'));
    expect(valueOf(await admin.websitesSet(_id))).to.deep.equal(['acme.example']);
    return undefined;
  },
  ledger: async ({ admin }) => {
    const { _id } = valueOf(await admin.create('Acme Inc.'));
    valueOf(await admin.update(_id, 0, 'acme.example'));
    const events = valueOf(await admin.ledger(_id));
    expect(events.map(({ name }) => name)).to.have.members(['BusinessCreated', 'BusinessUpdated']);
    for (const { index } of events) expect(index).to.be.a('number');
    return undefined;
  },
  'error codes': async ({ admin, nobody }) => {
    expectRefused(await admin.create(''), 400, 'validation_failed');
    expectRefused(await nobody.create('Acme Inc.'), 401, 'token_missing');
    expectRefused(await admin.get(randomUUID()), 404, 'business_not_found');
    const key = randomUUID();
    valueOf(await admin.create('Acme Inc.', key));
    expectRefused(await admin.create('Another', key), 422, 'idempotency_key_reused');
    return undefined;
  },
};
