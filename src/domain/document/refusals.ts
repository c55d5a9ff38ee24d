export type DocumentNotFound = { readonly _tag: 'DocumentNotFound' };

type DocumentAlreadyExists = { readonly _tag: 'DocumentAlreadyExists' };

export type DocumentRefusal = DocumentNotFound | DocumentAlreadyExists;
