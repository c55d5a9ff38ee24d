import type { Context } from 'koa';
import type { Caller } from './authentication/roles.js';

/** One request as a handler sees it. */
export type Exchange = {
  /** Koa's own view: for the parts that read the body or write the answer as a stream. */
  readonly ctx: Context;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly requestId: string;
};

/** A request whose sender has proven who it is and that it may do this. */
export type AuthorizedExchange = Exchange & { readonly caller: Caller };
