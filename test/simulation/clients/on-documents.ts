import { createHash } from 'node:crypto';
import type { State } from '../checks/states.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { below, isLucky, oneOf } from '../chance.js';
import { aRecord, type Client } from './client.js';
import { command } from './command.js';
import { rowIn } from './seen.js';
import { newKey } from './repeating.js';

export const DOCUMENTS = '/api/v1/document';

/** Up to how many bytes a file has. */
const LARGEST = 2_000;

const formWith = (fields: Readonly<Record<string, string>>, content: Buffer): Buffer =>
  formOf(...Object.entries(fields).map(([name, text]) => ({ name, content: text })), {
    name: 'file',
    filename: 'a.txt',
    type: 'text/plain',
    content,
  });

const fileFor = (client: Client, mark: string): { readonly content: Buffer; readonly sha256: string } => {
  const content = Buffer.from(`${mark} `.repeat(1 + below(client, LARGEST / mark.length)));
  const sha256 = createHash('sha256').update(content).digest('hex');
  client.told.files.set(sha256, content);
  return { content, sha256 };
};

/** What names and file are to be uploaded to: a new document, or one that is there. */
const targetOf = (client: Client) => {
  const record = isLucky(client, 0.5) ? aRecord(client, 'Document') : undefined;
  return record === undefined
    ? { record, method: 'POST', path: DOCUMENTS }
    : { record, method: 'PUT', path: `${DOCUMENTS}/${record}` };
};

/** Creates a document or changes one, in most cases with a file. */
export const upload = async (client: Client): Promise<void> => {
  const mark = client.nextMark();
  const { record, ...target } = targetOf(client);
  const file = isLucky(client, 0.8) ? fileFor(client, mark) : undefined;
  const fields = { name: mark, ...(isLucky(client, 0.5) ? { description: mark } : {}) };
  const { description } = fields;
  const request =
    file === undefined
      ? { ...target, body: fields }
      : { ...target, body: formWith(fields, file.content), headers: { 'content-type': FORM_TYPE } };
  const isShownBy = ({ name, note, sha256 }: State): boolean =>
    name === mark &&
    (description === undefined || note === description) &&
    (file === undefined || sha256 === file.sha256);
  const done = await command(client, { record, request, mark, key: newKey(client), isShownBy });
  if (done?.answer.status !== 200) return;
  client.notes.count('a file is uploaded');
  if (record === undefined) client.told.records.Document.push(rowIn(done)._id);
};

/** Begins to upload a file, and leaves in the middle of it: nothing is written. */
export const abandonUpload = async (client: Client): Promise<void> => {
  const { told, notes, world } = client;
  const mark = client.nextMark();
  const { method, path } = targetOf(client);
  const service = oneOf(client, client.cluster.running());
  if (service === undefined) return;
  const form = formWith({ name: mark }, fileFor(client, mark).content);
  const headers = { 'content-type': FORM_TYPE, 'content-length': String(form.length), 'change-reason': mark };
  const began = world.now();
  const { request, answer } = service.begin(method, path, headers);
  // the service may end the connection before the client does
  const left = answer.then(
    ({ status }) => notes.count(`an upload is cut, answered ${status}`),
    () => notes.count('an upload is cut'),
  );
  request.write(form.subarray(0, below(client, form.length)));
  await world.sleep(client.random.fraction() * 50);
  request.destroy();
  await left;
  told.commands.push({ mark, record: undefined, began, ended: world.now(), outcome: 'Refused' });
};
