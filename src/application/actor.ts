const MAX_LENGTH = 255;

/** C0 control characters, and halves of surrogate pairs: an actor ends up in the log as text. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_TEXT = /[\u0000-\u001f]|\p{Surrogate}/u;

/** Whether a text can be the name of who acts: the subject of a token, and then the actor of an event. */
export const isActor = (name: string): boolean =>
  name.trim() !== '' && Array.from(name).length <= MAX_LENGTH && !NOT_TEXT.test(name);
