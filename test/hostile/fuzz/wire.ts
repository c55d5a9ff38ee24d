import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import type { Wire } from './client.js';
import type { Body, Context, Draft, Pairs } from './draft.js';

const encoded = (query: Pairs): string =>
  query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');

const isAskedForThePast = ({ query }: Draft): boolean => query.some(([name]) => name === 'revision' || name === 'at');

const authorizationOf = (draft: Draft, { random, tokens, subject }: Context): string | undefined => {
  if (draft.authorization !== 'allowed') return draft.authorization.header;
  const { roles, past, isForAnyRole } = draft.operation;
  if (isForAnyRole) return tokens.good(subject, random.pick([[], ['nobody'], ['viewer'], ['admin', 'editor']]));
  return tokens.good(subject, [random.pick(past.length > 0 && isAskedForThePast(draft) ? past : roles)]);
};

type Content = { readonly bytes: Buffer; readonly type: string | undefined };

const contentOf = (body: Body): Content | undefined => {
  switch (body._tag) {
    case 'None':
      return undefined;
    case 'Json': {
      const text = body.members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',');
      return { bytes: Buffer.from(`{${text}}`), type: 'application/json' };
    }
    case 'Form':
      return { bytes: formOf(...body.parts), type: FORM_TYPE };
    case 'Raw':
      return body;
  }
};

const framing = (content: Content | undefined, isChunked: boolean): Pairs => {
  if (content === undefined) return [];
  return isChunked ? [['Transfer-Encoding', 'chunked']] : [['Content-Length', String(content.bytes.length)]];
};

/** A draft as it goes out. */
export const wireOf = (draft: Draft, context: Context): Wire => {
  if (draft.repeats !== undefined) return draft.repeats.wire;
  const query = [encoded(draft.query), draft.rawQuery].filter((text) => text !== '').join('&');
  const content = contentOf(draft.body);
  const authorization = authorizationOf(draft, context);
  const typed: Pairs = content?.type === undefined ? [] : [['Content-Type', content.type]];
  const authorized: Pairs = authorization === undefined ? [] : [['Authorization', authorization]];
  const headers = [...authorized, ...typed, ...framing(content, draft.isChunked), ...draft.headers];
  return {
    method: draft.method,
    path: query === '' ? draft.path : `${draft.path}?${query}`,
    headers: headers.flat(),
    body: content?.bytes,
  };
};
