const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in the one spelling that our identifiers have: lower case, with dashes, nothing around it. */
export const isUuid = (text: string): boolean => UUID.test(text);
