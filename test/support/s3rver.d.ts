declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http';

  type Options = { readonly directory: string; readonly silent: boolean };

  type Page = { readonly prefix: string; readonly startAfter: string; readonly maxKeys: number };

  type Listed = { readonly key: string; readonly size: number; readonly lastModifiedDate: Date };

  type Store = {
    getResourcePath: (bucket: string, key: undefined, resource: 'uploads') => string;
    listObjects: (bucket: string, page: Page) => Promise<{ objects: ReadonlyArray<Listed>; isTruncated: boolean }>;
  };

  /** What is used here of a package that comes without types. */
  class S3rver {
    constructor(options: Options);
    readonly store: Store;
    callback(): RequestListener;
  }

  namespace S3rver {
    export type { Store };
  }

  export = S3rver;
}
