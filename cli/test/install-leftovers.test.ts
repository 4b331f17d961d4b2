import { expect, it } from "vitest";
import { installMachine } from "./install-machine.js";

it("removes the provider for Hermes Agent with its compiled files, and its line in the configuration", async () => {
  const machine = await installMachine();
  await machine.write("home/.hermes/config.yaml", "model: small\n");
  await machine.install("hermes");
  const text = await machine.read("home/.hermes/config.yaml");
  await machine.write("home/.hermes/config.yaml", `${text}memory:\n  provider: membus\n`);
  await machine.write("home/.hermes/plugins/membus/__pycache__/__init__.cpython-311.pyc", "compiled");
  await machine.uninstall("hermes");
  expect(await machine.read("home/.hermes/config.yaml")).toBe("model: small\n");
  expect(await machine.files()).toEqual(["home/.hermes", "home/.hermes/config.yaml"]);
});

it("leaves other settings of the memory of Hermes Agent, and another provider", async () => {
  const machine = await installMachine();
  await machine.write("home/.hermes/config.yaml", "memory:\n  provider: membus\n  size: 9\n");
  await machine.install("hermes");
  await machine.uninstall("hermes");
  expect(await machine.read("home/.hermes/config.yaml")).toBe("memory:\n  size: 9\n");
  await machine.write("home/.hermes/config.yaml", "memory:\n  provider: other\n");
  await machine.install("hermes");
  await machine.uninstall("hermes");
  expect(await machine.read("home/.hermes/config.yaml")).toBe("memory:\n  provider: other\n");
});

it("deletes the extension for pi if a crash has prevented the record of its installation", async () => {
  const machine = await installMachine();
  await machine.write("home/.pi/agent/extensions/membus.js", "// Written by `membus install pi`.\n");
  await machine.uninstall("pi");
  expect(await machine.files()).toEqual(["home/.pi", "home/.pi/agent", "home/.pi/agent/extensions"]);
});
