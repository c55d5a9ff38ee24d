import { FORM_TYPE, formOf } from '../../../support/multipart-form.js';

/** What was planted, by what has it: the events, or the files that they name. */
export type Planted = {
  readonly texts: ReadonlySet<string>;
  readonly contents: ReadonlySet<string>;
  /** Names of owners of businesses that stay. */
  readonly owners: ReadonlyArray<string>;
  readonly businesses: ReadonlyArray<string>;
  readonly documents: ReadonlyArray<string>;
  /** Businesses that stay, of which those are owners. */
  readonly hosts: ReadonlyArray<string>;
};

const PATTERN = /mrk\d{4}q/gi;

/** The markers in some bytes, however their letters are written. */
export const markersIn = (bytes: Buffer | string): ReadonlyArray<string> =>
  (typeof bytes === 'string' ? bytes : bytes.toString('latin1')).match(PATTERN)?.map((one) => one.toLowerCase()) ?? [];

type Shown = { readonly _id: string };

type Sending = readonly [
  method: string,
  path: string,
  body: Buffer | string | undefined,
  headers: Readonly<Record<string, string>>,
];

const [UPDATES, NEW_TAGS] = [9, 5];

/** Plants distinct markers, one after the other, through the API. */
export class Planting {
  readonly #texts = new Set<string>();
  readonly #contents = new Set<string>();
  readonly #owners: Array<string> = [];
  readonly #businesses: Array<string> = [];
  readonly #documents: Array<string> = [];
  readonly #hosts: Array<string> = [];
  readonly #address: string;
  readonly #token: string;

  constructor(address: string, token: string) {
    this.#address = address;
    this.#token = token;
  }

  /** A marker of events. */
  text(): string {
    const marker = this.#next();
    this.#texts.add(marker);
    return marker;
  }

  planted(): Planted {
    const [businesses, documents, hosts] = [this.#businesses, this.#documents, this.#hosts];
    return { texts: this.#texts, contents: this.#contents, owners: this.#owners, businesses, documents, hosts };
  }

  /** A business of which every text was changed again and again, with owners, deleted and restored. */
  async business(): Promise<void> {
    const { _id: id } = await this.#send('POST', '/business', this.#fields());
    this.#businesses.push(id);
    const path = `/business/${id}`;
    for (let update = 0; update < UPDATES; update += 1) await this.#send('PUT', path, this.#fields());
    const [user, other] = [this.text(), this.text()];
    await this.#send('POST', `${path}/owner`, { user, title: this.text() });
    await this.#send('POST', `${path}/owner`, { user: other, title: this.text() });
    await this.#send('PUT', `${path}/owner/${user}`, { title: this.text() });
    await this.#send('PUT', `${path}/owner`, { ownerId: other, title: this.text() });
    await this.#send('DELETE', `${path}/owner?ownerId=${user}`);
    await this.#send('POST', `${path}/revert`, { revision: 0 });
    await this.#send('DELETE', path);
    await this.#send('POST', `${path}/restore`);
  }

  /** A document with several versions of its file. */
  async document(): Promise<void> {
    const { _id: id } = await this.#upload();
    this.#documents.push(id);
    const path = `/document/${id}`;
    for (let update = 0; update < UPDATES; update += 1) {
      const { name, description, entity, tags } = this.#describing();
      await this.#send('PUT', path, { name, description, entity, tags });
    }
    for (let version = 0; version < 2; version += 1)
      await this.#sendRaw('PUT', `${path}/file?originalName=${this.text()}.bin`, this.#content(), {
        'Content-Type': `application/x-${this.text()}`,
      });
    await this.#send('POST', `${path}/revert`, { revision: 0 });
    await this.#send('DELETE', path);
    await this.#send('POST', `${path}/restore`);
  }

  /** Owners of businesses about which there is nothing else to erase. */
  async owners(owners: number, hosts: number): Promise<void> {
    for (let host = 0; host < hosts; host += 1) this.#hosts.push(await this.#host());
    for (let owner = 0; owner < owners; owner += 1) {
      const user = this.text();
      this.#owners.push(user);
      for (const host of this.#hosts) {
        const path = `/business/${host}/owner`;
        await this.#send('POST', path, { user, title: this.text() });
        await this.#send('PUT', `${path}/${user}`, { title: this.text() });
        await this.#send('DELETE', `${path}/${user}`);
        await this.#send('POST', path, { user, title: this.text() });
      }
    }
  }

  #next(): string {
    return `mrk${String(this.#texts.size + this.#contents.size).padStart(4, '0')}q`;
  }

  #content(): string {
    const marker = this.#next();
    this.#contents.add(marker);
    return marker;
  }

  /** Of which nothing is erased but owners. */
  async #host(): Promise<string> {
    const type = { 'Content-Type': 'application/json' };
    const sent = await this.#sendPlain('POST', '/business', JSON.stringify({ name: 'Host' }), type);
    return ((await sent.json()) as Shown)._id; // reason: what the operation answers
  }

  /** Every text of a business. */
  #fields(): object {
    const texts = ['name', 'dba', 'displayName', 'phone', 'ein', 'businessType', 'parent'];
    const lines = ['line1', 'line2', 'city', 'state', 'zip', 'country'];
    return {
      ...Object.fromEntries([...texts, ...lines].map((name) => [name, `${this.text()} of ${name}`])),
      email: `${this.text()}@example.com`,
      website: `https://${this.text()}.example/`,
    };
  }

  #describing() {
    return {
      ...{ name: this.text(), description: `it is ${this.text()}`, entity: this.text() },
      tags: Array.from({ length: NEW_TAGS }, () => this.text()),
    };
  }

  async #upload(): Promise<Shown> {
    const { name, description, entity, tags } = this.#describing();
    const form = formOf(
      { name: 'name', content: name },
      { name: 'description', content: description },
      { name: 'entity', content: entity },
      ...tags.map((content) => ({ name: 'tags', content })),
      ...[{ name: 'file', content: this.#content(), filename: this.text(), type: `application/x-${this.text()}` }],
    );
    const sent = await this.#sendRaw('POST', '/document', form, { 'Content-Type': FORM_TYPE });
    return (await sent.json()) as Shown; // reason: what the operation answers
  }

  async #send(method: string, path: string, body?: object): Promise<Shown> {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = await this.#sendRaw(method, path, body && JSON.stringify(body), type);
    return (await sent.json()) as Shown; // reason: what the operations answer
  }

  #sendRaw(...[method, path, body, type]: Sending): Promise<Response> {
    return this.#sendPlain(method, path, body, { ...type, 'Change-Reason': `because of ${this.text()}` });
  }

  async #sendPlain(...[method, path, body, of]: Sending): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.#token}`, ...of };
    const sent = await fetch(`${this.#address}/api/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (sent.status !== 200) throw new Error(`${method} ${path}: ${sent.status} ${await sent.text()}`);
    return sent;
  }
}
