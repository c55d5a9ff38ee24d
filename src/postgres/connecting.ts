import { readFileSync, statSync } from 'node:fs';

/** How connections are opened, for which a connection string has parameters: libpq's `connect_timeout`, and one of ours. */
type Connecting = {
  /** How long opening one may take, s. */
  readonly timeout?: number | undefined;
  /** A file with a connection string: its user and password are read again for each connection. */
  readonly file?: string | undefined;
};

const TIMEOUT = 'connect_timeout';
const FILE = 'credentials_file';

const parameterOf = (connectionString: string, name: string): string | undefined =>
  URL.canParse(connectionString) ? (new URL(connectionString).searchParams.get(name) ?? undefined) : undefined;

/** The connection string with these parameters. */
export const connectingBy = (connectionString: string, { timeout, file }: Connecting): string => {
  if ((timeout === undefined && file === undefined) || !URL.canParse(connectionString)) return connectionString;
  const url = new URL(connectionString);
  if (timeout !== undefined) url.searchParams.set(TIMEOUT, String(timeout));
  if (file !== undefined) url.searchParams.set(FILE, file);
  return url.href;
};

/** How long opening a connection may take, ms; undefined where the connection string does not say. */
export const connectMsOf = (connectionString: string): number | undefined => {
  const seconds = Number(parameterOf(connectionString, TIMEOUT) ?? 0);
  return seconds > 0 ? seconds * 1_000 : undefined;
};

const readUrl = (file: string): URL | undefined => {
  try {
    if (!statSync(file).isFile()) return undefined; // to read a pipe would be to stand still
    const text = readFileSync(file, 'utf8').trim();
    return URL.canParse(text) ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The connection string with the user and the password that its file has now, and nothing else of it: connections to
 * several databases would be worse than none. As it is where there is no file, and while it is not whole.
 */
export const withCredentialsOfNow = (connectionString: string): string => {
  const file = parameterOf(connectionString, FILE);
  const now = file === undefined ? undefined : readUrl(file);
  if (now === undefined || now.password === '') return connectionString;
  const { username, password } = now;
  return Object.assign(new URL(connectionString), { username, password }).href;
};
