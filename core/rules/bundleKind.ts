/**
 * How many bytes of a bundle are examined. Metro puts React Native's polyfills first, so a few kilobytes are enough to
 * recognise a phone's bundle.
 */
export const sniffBytes = 64 * 1024

/** Names that only React Native's first polyfill uses; bundles for the web contain none of them. */
const mark = "nativeLoggingHook"

/** Whether a bundle that begins with these bytes is for a phone, whatever its declared type. */
export const isNative = (start: Uint8Array): boolean => new TextDecoder().decode(start).includes(mark)
