/**
 * How much of a bundle is looked at for what it is. Metro puts React Native's polyfills first, so a phone's bundle shows
 * itself within a few kilobytes.
 */
export const lookedAtBytes = 64 * 1024

/** What only the first polyfill of React Native asks for; bundles for the web have none of them. */
const mark = "nativeLoggingHook"

/** Whether a bundle that begins with these bytes is a phone's own, whatever it was declared as. */
export const isNative = (start: Uint8Array): boolean => new TextDecoder().decode(start).includes(mark)
