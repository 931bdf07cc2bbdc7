import { everyPage } from "./everyPage.ts"

everyPage()
