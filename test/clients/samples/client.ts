/** What a call came to, in one form for all generators. */
export type Answer<A> =
  | { readonly ok: true; readonly value: A }
  /** `code` is the one of the error; undefined where the client does not give it out. */
  | { readonly ok: false; readonly status: number; readonly code: string | undefined };

/** What the calls look at. A generated type that lacks one of these, or has it otherwise, does not compile. */
export type Business = {
  readonly _id: string;
  readonly revision: number;
  readonly name: string;
  readonly city: string | null;
  readonly website: string | null;
};

export type Document = {
  readonly _id: string;
  readonly name: string;
  readonly originalName: string | null;
  readonly size: number | null;
};

export type Page = {
  readonly businesses: ReadonlyArray<Business>;
  /** The header `Link`. */
  readonly link: string | null;
};

/** Why a client cannot make a call. */
export type Cannot = { readonly cannot: string };

/** The calls as a project would make them with one generator; each goes through the code that it has generated. */
export type Client = {
  readonly create: (name: string, key?: string) => Promise<Answer<Business>>;
  readonly get: (id: string) => Promise<Answer<Business>>;
  /** Those of this name. */
  readonly list: (name: string, limit: number, after?: string) => Promise<Answer<Page>>;
  /** Sets the website and clears the city. */
  readonly update: (id: string, revision: number, website: string) => Promise<Answer<Business>>;
  readonly createDocument: ((name: string) => Promise<Answer<Document>>) | Cannot;
  readonly createByForm: ((name: string, file: File) => Promise<Answer<Document>>) | Cannot;
  readonly putFile: ((id: string, file: Blob, originalName: string) => Promise<Answer<Document>>) | Cannot;
  readonly download: ((id: string) => Promise<Answer<ArrayBuffer>>) | Cannot;
  /** The websites that the updates of a business have set, by narrowing each event by its name. */
  readonly websitesSet: (id: string) => Promise<Answer<ReadonlyArray<string | null | undefined>>>;
  /** The numbers in the ledger of what happened to a record, which only its events have, and what kind of event each is. */
  readonly ledger: (id: string) => Promise<Answer<ReadonlyArray<{ readonly index?: number; readonly name: string }>>>;
};

/** Makes a client of a service; without a token, one that sends none. */
export type MakeClient = (address: string, token: string | undefined) => Client;
