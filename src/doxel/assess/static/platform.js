/** Which keys a machine has: on a Mac, command and option do what control does elsewhere. */
export const IS_MAC = /Mac|iP(hone|ad|od)/.test(navigator.platform);
