export { layer } from "./routes.ts"
