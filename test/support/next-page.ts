import type { Reply } from './client.js';

/** The path of the page behind the one that `path` gave. A link is relative to the address that was asked. */
export const nextPage = (path: string, { headers }: Reply): string | undefined => {
  const [, query] = /^<(\?[^>]*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  return query === undefined ? undefined : path.replace(/(\?.*)?$/, query);
};
