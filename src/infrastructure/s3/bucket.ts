import type { Client } from 'minio';

/** The bucket that files are kept in, and the client that reaches it. It is the service's own. */
export type Bucket = { readonly client: Client; readonly name: string };
