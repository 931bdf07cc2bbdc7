import { AppRegistry } from "react-native"
import { App } from "./App.jsx"

AppRegistry.registerComponent("SlipwayHarbour", () => App)
AppRegistry.runApplication("SlipwayHarbour", { rootTag: document.getElementById("root") })
