/** Makes the port `ObjectStore` from an `ObjectDriver`, to write an object store of your own. */
export { copiedMetadata } from "./copiedMetadata.ts"
export * from "./makeObjectStore.ts"
export * from "./ObjectDriver.ts"
