export type DocumentNotFound = { readonly _tag: 'DocumentNotFound' };

type DocumentAlreadyExists = { readonly _tag: 'DocumentAlreadyExists' };

export type DocumentRejection = DocumentNotFound | DocumentAlreadyExists;
