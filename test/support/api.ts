/** A client of a running service, as thin as it can be. */
export type Api = {
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
  /** The JSON of a 200; anything else rejects with the status and the answer. */
  readonly json: <A>(method: string, path: string, body?: unknown) => Promise<A>;
};

export const makeApi = (address: string, token: string): Api => {
  const send: Api['send'] = (method, path, body, headers = {}) =>
    fetch(`${address}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  return {
    send,
    json: async <A>(method: string, path: string, body?: unknown) => {
      const response = await send(method, path, body);
      if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as A; // reason: the caller says what the operation answers
    },
  };
};
