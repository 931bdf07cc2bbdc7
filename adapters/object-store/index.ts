/** Makes the port `ObjectStore` from an `ObjectDriver`, to write an object store of your own. */
export { keyOf, makeObjectStore } from "./makeObjectStore.ts"
export * from "./ObjectDriver.ts"
