/**
 * RoCEv2 on UDP port 4791: one software HCA per configuration, on addresses of this host. The
 * framework's threads start and stop the driver. Each device has a thread that receives and one
 * that watches the host's interfaces; the engine's rules say which threads run its packets (D4).
 */
@NullMarked
package ib.driver.rxe;

import org.jspecify.annotations.NullMarked;
