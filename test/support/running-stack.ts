/** A running service, whatever it runs on. */
export type Stack = {
  /** `http://host:port`, without the API's prefix. */
  readonly baseUrl: string;
  readonly tokenFor: (roles: string | ReadonlyArray<string>, subject?: string) => string;
  readonly stop: () => Promise<void>;
};
