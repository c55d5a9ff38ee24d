import type { HttpResponse, Wire } from './client.js';
import { matchTemplate, type Operation, pathNames, providersOf } from './operations.js';

/** A record that this session has made; nobody else changes it. */
export type KnownRecord = {
  readonly id: string;
  readonly path: string;
  /** Of the newest revision. */
  tag: string;
  isDeleted: boolean;
  /** Its body as last answered; undefined when something has changed it since. */
  text: string | undefined;
  /** Bytes of its file; undefined while it has none. */
  fileSize: number | undefined;
  /** By parameter: what hangs on the record, as the owners of a business do. */
  readonly parts: Map<string, Array<string>>;
  /** When something was done to it, by the clock of this process. */
  readonly instants: Array<string>;
};

/** A request with an `Idempotency-Key` that was carried out, and its answer. */
export type Keyed = {
  readonly operation: Operation;
  readonly key: string;
  readonly record: KnownRecord | undefined;
  readonly part: string | undefined;
  readonly wire: Wire;
  readonly text: string;
};

/** What a request was about that has been answered. */
type Done = {
  readonly operation: Operation;
  readonly record: KnownRecord | undefined;
  readonly part: string | undefined;
  readonly method: string;
};

const MOST_KEPT = 30;

const keep = <A>(list: Array<A>, item: A): void => {
  list.push(item);
  if (list.length > MOST_KEPT) list.shift();
};

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}; // reason: just asked
};

const fileSizeIn = ({ size }: Readonly<Record<string, unknown>>): number | undefined =>
  typeof size === 'number' ? size : undefined;

/** An owner is its `user`: it has no identifier of its own, and so no `Location` (docs/api.md). */
const partIn = ({ user }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof user === 'string' ? user : undefined;

/** What a session has learned from the answers so far; what it asks next is made of this. */
export class SessionState {
  readonly keyed: Array<Keyed> = [];
  /** Targets of `Link`. */
  readonly links: Array<string> = [];
  /** By parameter: values seen in pages and links. */
  readonly seen = new Map<string, Set<string>>();
  /** By path: the tag that a GET was answered with. */
  readonly tags = new Map<string, string>();
  readonly #operations: ReadonlyArray<Operation>;
  readonly #providers: ReadonlyMap<string, Operation>;
  readonly #records = new Map<string, Array<KnownRecord>>();

  constructor(operations: ReadonlyArray<Operation>) {
    this.#operations = operations;
    this.#providers = providersOf(operations);
  }

  providerOf(name: string): Operation | undefined {
    return this.#providers.get(name);
  }

  /** The parameter that names a record in a template: the first that something provides. */
  recordNameOf({ template }: Operation): string | undefined {
    return pathNames(template).find((name) => this.#providers.has(name));
  }

  /** The parameter that names the records of a list. */
  listedBy({ template }: Operation): string | undefined {
    return [...this.#providers].find(([, provider]) => provider.template === template)?.[0];
  }

  /** Parameters that name records. */
  recordNames(): ReadonlyArray<string> {
    return [...this.#records.keys()];
  }

  records(name: string, isDeleted = false): ReadonlyArray<KnownRecord> {
    return (this.#records.get(name) ?? []).filter((record) => record.isDeleted === isDeleted);
  }

  /** Records what a response says of the records; not for a repeat, whose response shows an earlier state. */
  learn({ operation, record, part, method }: Done, path: string, answer: HttpResponse): void {
    const { status, headers } = answer;
    if (status !== 200) return;
    const text = answer.bytes.toString();
    if (operation.template.endsWith('/link')) this.#see(String(objectIn(text)['url']));
    else if (typeof headers.location === 'string') this.#create(headers, text);
    else if (record !== undefined && method !== 'GET' && method !== 'HEAD')
      this.#change(operation, record, part, headers.etag, text);
    else this.#look(record, path, answer, text);
  }

  #create({ location = '', etag = '' }: HttpResponse['headers'], text: string): void {
    for (const name of this.#providers.keys()) {
      const template = this.#operations.find((operation) => operation.template.endsWith(`/{${name}}`))?.template ?? '';
      const id = matchTemplate(template, location)?.get(name);
      if (id === undefined) continue;
      const state = { tag: etag, isDeleted: false, text, fileSize: fileSizeIn(objectIn(text)) };
      const instants = [new Date().toISOString()];
      const records = this.#records.get(name) ?? [];
      records.push({ id, path: location, ...state, parts: new Map(), instants });
      this.#records.set(name, records);
    }
  }

  #change(
    { method, template }: Operation,
    record: KnownRecord,
    part: string | undefined,
    tag: string | undefined,
    text: string,
  ): void {
    const answered = objectIn(text);
    record.tag = tag ?? record.tag;
    for (const path of this.tags.keys()) if (path.startsWith(record.path)) this.tags.delete(path);
    keep(record.instants, new Date().toISOString());
    record.text = answered['_id'] === record.id ? text : undefined;
    // a revert may take the file away again
    if ('size' in answered) record.fileSize = fileSizeIn(answered);
    if (method === 'DELETE' && part === undefined) record.isDeleted = true;
    // the answer to a preview shows no record
    if (template.endsWith('/restore') && record.text !== undefined) record.isDeleted = false;
    for (const [name, provider] of this.#providers)
      if (provider.template === template || template === `${provider.template}/{${name}}`)
        this.#changePart(method, name, record, part ?? partIn(answered));
  }

  #changePart(method: string, name: string, { parts }: KnownRecord, part: string | undefined): void {
    const there = (parts.get(name) ?? []).filter((other) => other !== part);
    parts.set(name, method === 'DELETE' || part === undefined ? there : [...there, part]);
  }

  #look(record: KnownRecord | undefined, path: string, { headers }: HttpResponse, text: string): void {
    if (headers.etag !== undefined && !path.includes('?')) this.tags.set(path, headers.etag);
    if (record?.path === path && text !== '') record.text = text;
    const link =
      typeof headers['link'] === 'string' ? /^<(\?[^>]+)>; rel="next"$/.exec(headers['link'])?.[1] : undefined;
    if (link !== undefined) keep(this.links, `${path.split('?', 1)[0]}${link}`);
    if (headers['content-type']?.startsWith('text/html') === true) this.#readPage(text);
  }

  /** Values of path parameters in the addresses that a page names. */
  #readPage(html: string): void {
    for (const [, address = ''] of html.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)) this.#see(`/${address}`);
  }

  #see(path: string): void {
    for (const { template } of this.#operations)
      for (const [name, value] of matchTemplate(template, path) ?? [])
        this.seen.set(name, (this.seen.get(name) ?? new Set()).add(value));
  }
}
