import { makeHeard } from './news.js';

/** A Server-Sent Event as it was received; `data` is parsed. */
export type Received = { readonly id?: string; readonly event?: string; readonly data: unknown };

export type Following = {
  readonly status: number;
  readonly headers: Headers;
  /** The events so far; grows. */
  readonly received: ReadonlyArray<Received>;
  /** What has no data, so far. */
  readonly comments: ReadonlyArray<string>;
  /** Resolves when there are so many events, or one of them is meant; rejects when the stream ends before. */
  readonly until: (enough: number | ((one: Received) => boolean)) => Promise<ReadonlyArray<Received>>;
  /** Resolves when the stream has ended, or was cut. */
  readonly ended: Promise<'ended' | 'cut'>;
  readonly leave: () => void;
};

/** What a block of a stream says: an event, or a comment. */
export const parseBlock = (block: string): Received | string => {
  const lines = block.split('\n').map((line) => /^(\w*): ?(.*)$/s.exec(line) ?? []);
  const values: Record<string, string> = {};
  for (const [, name = '', value = ''] of lines) values[name] = value;
  const { id, event, data, '': comment = '' } = values;
  if (data === undefined) return comment;
  return { ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }), data: JSON.parse(data) };
};

/** Follows a feed as a client does that is no browser. */
export const follow = async (url: string, token: string, headers: object = {}): Promise<Following> => {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  const { all: received, hear, until } = makeHeard<Received>();
  const comments: Array<string> = [];
  const read = async (): Promise<void> => {
    let text = '';
    // reason: a 200 has a body
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const parsed of blocks.map(parseBlock))
        if (typeof parsed === 'string') comments.push(parsed);
        else hear(parsed);
    }
  };
  const ended = read().then(
    () => 'ended' as const,
    () => 'cut' as const,
  );
  return {
    status: response.status,
    headers: response.headers,
    received,
    comments,
    until: async (enough) => {
      const isEnough = typeof enough === 'number' ? () => received.length >= enough : () => received.some(enough);
      await Promise.race([until(isEnough), ended]);
      if (!isEnough()) throw new Error(`only ${received.length} events came`);
      return [...received];
    },
    ended,
    leave: () => leaving.abort(),
  };
};
