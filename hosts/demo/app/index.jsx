import { AppRegistry, Platform } from "react-native"
import { App } from "./App.jsx"

AppRegistry.registerComponent("SlipwayHarbour", () => App)
if (Platform.OS === "web") {
  AppRegistry.runApplication("SlipwayHarbour", { rootTag: document.getElementById("root") })
}
