import type { Readable } from 'node:stream';

/**
 * A response to be sent. `headers` are name, value, name, value …, beside those that every response has (security,
 * caching, request id, content type and length). A stream is read at the client's pace; when it fails
 * the connection is cut, so that the client never takes a part for the whole.
 */
export type HttpResponse = {
  readonly status: number;
  readonly headers?: ReadonlyArray<string>;
  readonly body?: string | Buffer | Readable;
  /** Whether the bytes of a body that is no stream are acquired already, or are those of all such responses. */
  readonly isAcquired?: boolean;
  /** Default: JSON. */
  readonly contentType?: string;
  /** Default: kept by its reader alone, who asks again each time; by nobody while it is live. */
  readonly cacheControl?: string;
  /** Default: nothing may be loaded or framed. */
  readonly contentSecurityPolicy?: string;
  /** Whether pages of other origins may show it. Default: they may not. */
  readonly crossOriginResourcePolicy?: 'cross-origin';
  /**
   * Instead of a body: parts that come for as long as the client stays, with no limit of time. No cache keeps them. They end
   * by themselves when the response is closed.
   */
  readonly live?: AsyncGenerator<Buffer, void, undefined>;
  /** Whether the connection ends with it. */
  readonly closes?: boolean;
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/** 200 with a JSON text. */
export const ok = (body: string | Buffer, ...headers: ReadonlyArray<string>): HttpResponse => ({
  status: 200,
  body,
  headers,
});
